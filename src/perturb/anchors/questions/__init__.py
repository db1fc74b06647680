"""Chain questions: perception, understanding, reasoning, from the edit manifest alone."""

"""What a listener would do in a condition: task maps, ledgers, abstaining options."""

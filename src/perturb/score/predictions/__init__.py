"""One reader a file: predictions in the forms that harnesses write them."""

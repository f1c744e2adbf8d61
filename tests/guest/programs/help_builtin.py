def documented():
    """Says what it does."""


help(documented)

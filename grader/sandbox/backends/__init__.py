"""One module per way to confine a process, and the layers they are made of."""

"""The house's figures: how often which faults happened, where, and whether differences may be chance."""

"""Judge the wagers: late bets, limits, void hands, settlement and payouts."""

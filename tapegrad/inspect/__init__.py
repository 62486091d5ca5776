"""Looking at tapes."""

"""Packages that stand in for others, under the names their users know."""

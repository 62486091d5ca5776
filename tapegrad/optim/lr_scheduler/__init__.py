"""Schedulers of learning rates."""

"""Recurrent networks: a layer over all steps as one entry, and the steps alone."""

from .gru import gru
from .lstm import lstm
from .rnn import rnn
from .steps import gru_step, lstm_step

__all__ = ["gru", "gru_step", "lstm", "lstm_step", "rnn"]

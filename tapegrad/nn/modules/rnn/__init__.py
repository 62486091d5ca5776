"""Recurrent networks, and single steps of them."""

from .cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from .networks import GRU, LSTM, RNN, RNNBase

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

"""What the tests share."""

import os
import pathlib

import pytest

import trammel as tr

MODELS = pathlib.Path(os.environ["TRAMMEL_MODELS"])


@pytest.fixture
def models() -> pathlib.Path:
    """The folder of the model files."""
    return MODELS


@pytest.fixture
def pendulum() -> tr.Mechanism:
    """A rod of 1 m and 2 kg that hangs from O and starts level."""
    return tr.Mechanism(
        {
            "name": "pendulum",
            "plane": "xy",
            "gravity": [0, -9.81],
            "parameters": {"m": "2 kg"},
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]},
            "bodies": {"rod": {"rod": ["O", "A"], "mass": "m"}},
            "simulate": {"duration": 2},
        }
    )


@pytest.fixture
def cart() -> tr.Mechanism:
    """1 kg on a slide, pushed by the input u."""
    return tr.Mechanism(
        {
            "plane": "xy",
            "inputs": {"u": 0},
            "bodies": {"cart": {"mass": 1, "inertia": 1}},
            "joints": {"s": {"prismatic": ["cart", "ground"], "axis": [1, 0]}},
            "forces": {"push": {"force": ["u", 0], "at": "cart.com"}},
            "simulate": {"duration": 2},
        }
    )

"""A first mechanism in Python: a motor turns a crank, a spring holds the slider back.

After `make python`:  /usr/bin/python3 examples/python/first.py
"""

import pathlib
import sys

# The package as `make python` leaves it; not needed once it is installed.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "build/python"))

import trammel as tr  # noqa: E402

crank = tr.Mechanism(
    {
        "name": "slider-crank",
        "plane": "xy",
        "gravity": [0, -9.81],
        "parameters": {"L": "0.3 m", "speed": "60 rpm"},
        # Rough places: assembly makes them exact. A point that two bodies share is a joint.
        "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [0.3, 0.01], "B": [0.9, 0]},
        "bodies": {
            "crank": {"rod": ["O", "A"], "mass": "1 kg", "length": "L"},
            "coupler": {"rod": ["A", "B"], "mass": "2 kg", "length": "2*L"},
            "slider": {"point": "B", "mass": "1 kg"},
        },
        "joints": {"guide": {"point-on-line": "B", "through": [0, 0], "along": [1, 0]}},
        "drivers": {"motor": {"angle": "crank", "equals": "speed*t"}},
        "forces": {"spring": {"spring": ["O", "B"], "stiffness": "100 N/m", "length": "1 m", "damping": 2}},
    }
)
print(crank.check())

result = crank.run(duration=2)
print(result)

torque, error = result["motor.effort"], result.error["motor.effort"]
peak = abs(torque).argmax()
print(f"\nThe motor needs {torque[peak]:.3f} N.m at t = {result.t[peak]:.3f} s, known to {error[peak]:.1g} N.m.")

print("\nThe same for other cranks:")
for length in (0.2, 0.3, 0.4):
    longer = crank.with_(L=length).run(duration=2)
    print(f"  L = {length} m: {abs(longer['motor.effort']).max():7.3f} N.m, {longer.status}")

print("\nStep by step:")
simulation = crank.simulation()
while simulation.t < 0.5:
    simulation.advance(0.1)
    position, velocity = simulation.point("B")
    print(f"  t = {simulation.t:.1f} s: B at x = {position[0]:.4f} m, v = {velocity[0]:+.4f} m/s")

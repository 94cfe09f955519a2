"""Programs that test a service under stress: kills, load, interrupted cameras, full disks. See docs/endurance.md."""

"""Programs that try what a service has to endure: kills, load, cut cameras, full disks. See docs/endurance.md."""

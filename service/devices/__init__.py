"""Devices that report over MQTT."""

"""Notify people and other programs: webhooks, MQTT, e-mail and chat; each message is stored until sent."""

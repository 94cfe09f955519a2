"""Tell people and programs outside what happens: webhooks, MQTT, e-mail and chat, each message kept until sent."""

"""A federation on this machine, to try: an app to edit, keys and certificates, its processes started and stopped."""

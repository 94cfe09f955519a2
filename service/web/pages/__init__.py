"""What people see: templates, style and scripts, all of them ours and all shipped."""

"""HTML reports and notebook views."""

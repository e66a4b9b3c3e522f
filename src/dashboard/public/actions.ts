/** Part of the dashboard. */

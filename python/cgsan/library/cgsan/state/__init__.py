"""What a region may read and change: found, saved, put back."""

"""What all figures share: the drawing, the look, rendering, the register."""

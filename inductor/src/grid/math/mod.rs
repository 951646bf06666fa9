//! The functions of floats that a device may lack, in terms of what every device has.

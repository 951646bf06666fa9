"""Every operator of torch's own operator tests, compiled and compared with eager."""

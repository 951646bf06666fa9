"""Models of three libraries through our own Dynamo and torch's: `./x zoo`."""

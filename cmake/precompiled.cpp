// Nothing: the headers that are compiled with it are the point.

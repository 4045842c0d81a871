raise RuntimeError("this is not the library")

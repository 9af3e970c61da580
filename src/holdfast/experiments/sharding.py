def sharded(*a):
    raise NotImplementedError

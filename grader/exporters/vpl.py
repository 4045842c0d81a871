class VPL: pass

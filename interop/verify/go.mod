module csi-identity/interop/verify

go 1.26.0

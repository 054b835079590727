module csi-identity/interop/servers/host-path

go 1.26.8

tool github.com/kubernetes-csi/drivers/app/hostpathplugin

require (
	github.com/container-storage-interface/spec v1.0.0 // indirect
	github.com/golang/glog v0.0.0-20160126235308-23def4e6c14b // indirect
	github.com/golang/protobuf v1.2.0 // indirect
	github.com/google/uuid v1.0.0 // indirect
	github.com/kubernetes-csi/csi-lib-utils v0.2.0 // indirect
	github.com/kubernetes-csi/drivers v1.0.2 // indirect
	github.com/pborman/uuid v1.2.1 // indirect
	golang.org/x/net v0.0.0-20180826012351-8a410e7b638d // indirect
	golang.org/x/sys v0.0.0-20180830151530-49385e6e1522 // indirect
	golang.org/x/text v0.3.0 // indirect
	google.golang.org/genproto v0.0.0-20180817151627-c66870c02cf8 // indirect
	google.golang.org/grpc v1.16.0 // indirect
	k8s.io/apimachinery v0.0.0-20180904193909-def12e63c512 // indirect
	k8s.io/kubernetes v1.12.0 // indirect
	k8s.io/utils v0.0.0-20261023123148-ca04ba58ecab // indirect
)

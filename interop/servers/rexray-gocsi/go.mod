module csi-identity/interop/servers/rexray-gocsi

go 1.26.8

require (
	github.com/container-storage-interface/spec v1.2.0
	github.com/golang/protobuf v1.3.1
	github.com/rexray/gocsi v1.2.2
)

require (
	github.com/akutz/gosync v0.1.0 // indirect
	github.com/coreos/etcd v3.3.13+incompatible // indirect
	github.com/gogo/protobuf v1.1.1 // indirect
	github.com/konsorten/go-windows-terminal-sequences v1.0.1 // indirect
	github.com/sirupsen/logrus v1.2.0 // indirect
	golang.org/x/crypto v0.0.0-20180904163835-0709b304e793 // indirect
	golang.org/x/net v0.0.0-20181220203305-927f97764cc3 // indirect
	golang.org/x/sys v0.0.0-20181116152217-5ac8a444bdc5 // indirect
	golang.org/x/text v0.3.0 // indirect
	google.golang.org/genproto v0.0.0-20180817151627-c66870c02cf8 // indirect
	google.golang.org/grpc v1.19.0 // indirect
)

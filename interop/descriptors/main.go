// Compares the descriptors that csi-proto carries with those in the official Go modules: every message, field number, type,
// label, enum value and method of csi.v1 and pluginregistration, both ways. Comments and file names are not compared.
package main

import (
	"fmt"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "usage: %s <descriptor set>\n", os.Args[0])
		os.Exit(2)
	}
	ours, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	theirs := official()
	differences := compare(ours, theirs)
	for _, difference := range differences {
		fmt.Println(difference)
	}
	if len(differences) > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d messages, fields, oneofs, enum values and methods are as in the official modules\n", len(theirs))
}

// A line for each thing that is declared, by its full name.
type declarations map[string]string

func official() declarations {
	found := declarations{}
	found.add(csi.File_csi_proto)
	found.add((&registration.PluginInfo{}).ProtoReflect().Descriptor().ParentFile())
	return found
}

func read(path string) (declarations, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(bytes, set); err != nil {
		return nil, err
	}
	return of(set)
}

func of(set *descriptorpb.FileDescriptorSet) (declarations, error) {
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	found := declarations{}
	found.addAll(files)
	return found, nil
}

func (d declarations) addAll(files *protoregistry.Files) {
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if file.Package() == "csi.v1" || file.Package() == "pluginregistration" {
			d.add(file)
		}
		return true
	})
}

func (d declarations) add(file protoreflect.FileDescriptor) {
	d.messages(file.Messages())
	d.enums(file.Enums())
	for i := range file.Services().Len() {
		methods := file.Services().Get(i).Methods()
		for j := range methods.Len() {
			method := methods.Get(j)
			d[string(method.FullName())] = fmt.Sprintf("method %s -> %s, streaming %t %t", method.Input().FullName(),
				method.Output().FullName(), method.IsStreamingClient(), method.IsStreamingServer())
		}
	}
}

func (d declarations) messages(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		message := messages.Get(i)
		d[string(message.FullName())] = "message"
		for j := range message.Fields().Len() {
			field := message.Fields().Get(j)
			kind := field.Kind().String()
			if field.Message() != nil {
				kind += " " + string(field.Message().FullName())
			}
			if field.Enum() != nil {
				kind += " " + string(field.Enum().FullName())
			}
			oneof := ""
			if field.ContainingOneof() != nil {
				oneof = ", of " + string(field.ContainingOneof().FullName())
			}
			d[string(field.FullName())] = fmt.Sprintf("field %d, %s %s, map %t, packed %t%s", field.Number(), field.Cardinality(),
				kind, field.IsMap(), field.IsPacked(), oneof)
		}
		d.messages(message.Messages())
		d.enums(message.Enums())
	}
}

func (d declarations) enums(enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		enum := enums.Get(i)
		d[string(enum.FullName())] = "enum"
		for j := range enum.Values().Len() {
			value := enum.Values().Get(j)
			d[string(enum.FullName())+"."+string(value.Name())] = fmt.Sprintf("value %d", value.Number())
		}
	}
}

package main

import (
	"os"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Changes our own descriptors in one place after the other; each has to be found, and nothing else.
func TestEachDifferenceIsFound(t *testing.T) {
	bytes, err := os.ReadFile("../../crates/csi-proto/src/generated/descriptors.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		change   func(info *descriptorpb.DescriptorProto)
		expected []string
	}{
		{func(*descriptorpb.DescriptorProto) {}, nil},
		{
			func(info *descriptorpb.DescriptorProto) { info.Field[0].Number = proto.Int32(9) },
			[]string{"pluginregistration.PluginInfo.type is field 9, optional string, map false, packed false here, and officially " +
				"field 1, optional string, map false, packed false"},
		},
		{
			func(info *descriptorpb.DescriptorProto) {
				info.Field[0].Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
			},
			[]string{"pluginregistration.PluginInfo.type is field 1, optional bytes, map false, packed false here, and officially " +
				"field 1, optional string, map false, packed false"},
		},
		{
			func(info *descriptorpb.DescriptorProto) {
				info.Field[0].Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			},
			[]string{"pluginregistration.PluginInfo.type is field 1, repeated string, map false, packed false here, and officially " +
				"field 1, optional string, map false, packed false"},
		},
		{
			func(info *descriptorpb.DescriptorProto) {
				info.Field[0].Name, info.Field[0].JsonName = proto.String("kind"), proto.String("kind")
			},
			[]string{
				"pluginregistration.PluginInfo.type is missing here: field 1, optional string, map false, packed false",
				"pluginregistration.PluginInfo.kind is only here: field 1, optional string, map false, packed false",
			},
		},
	} {
		set := &descriptorpb.FileDescriptorSet{}
		if err := proto.Unmarshal(bytes, set); err != nil {
			t.Fatal(err)
		}
		for _, file := range set.File {
			for _, message := range file.MessageType {
				if file.GetPackage() == "pluginregistration" && message.GetName() == "PluginInfo" {
					test.change(message)
				}
			}
		}
		ours, err := of(set)
		if err != nil {
			t.Fatal(err)
		}
		if found := compare(ours, official()); !slices.Equal(found, test.expected) {
			t.Errorf("found %q, expected %q", found, test.expected)
		}
	}
}

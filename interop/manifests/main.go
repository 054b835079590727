// Manifests reads Kubernetes manifests as strictly as an API server with strict field validation does.
//
//	manifests check FILE...
//	manifests data FILE NAME KEY
//
// Check fails on an unknown or doubled key, an object of a kind it does not know, and a container that is asked for on a
// port or volume that the pod does not have. Data prints a text from a ConfigMap, so that others can look into it.
//
// Exit code: 0 all is as it has to be, 1 it is not, 2 it could not be found out.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) >= 2 && arguments[0] == "check":
		os.Exit(check(arguments[1:], os.Stdout))
	case len(arguments) == 4 && arguments[0] == "data":
		os.Exit(data(arguments[1], arguments[2], arguments[3], os.Stdout))
	default:
		fmt.Fprintln(os.Stderr, "usage: manifests check FILE... | manifests data FILE NAME KEY")
		os.Exit(2)
	}
}

func check(files []string, out io.Writer) int {
	code := 0
	for _, file := range files {
		objects, err := read(file)
		switch {
		case errors.Is(err, os.ErrNotExist):
			fmt.Fprintln(os.Stderr, err)
			return 2
		case err == nil:
			err = judge(objects)
		}
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", file, err)
			code = 1
			continue
		}
		fmt.Fprintf(out, "%s: %d objects, as they have to be\n", file, len(objects))
	}
	return code
}

func data(file, name, key string, out io.Writer) int {
	objects, err := read(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for _, object := range objects {
		if config, ok := object.(*corev1.ConfigMap); ok && config.Name == name {
			if text, ok := config.Data[key]; ok {
				fmt.Fprint(out, text)
				return 0
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s has no ConfigMap %s with a text %s\n", file, name, key)
	return 1
}

func read(file string) ([]runtime.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, storagev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var objects []runtime.Object
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		objects = append(objects, object)
	}
	if len(objects) == 0 {
		return nil, errors.New("there is no object in it")
	}
	return objects, nil
}

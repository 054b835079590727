import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What is called, with messages made from the descriptors that csi-proto publishes, so there is no generated code. */
final class Services {
    private static final int OVERSIZED_BYTES = 5 * 1024 * 1024;

    /** A method, what is sent to it, and whether an answer is right. */
    record Call(MethodDescriptor<Message, Message> method, Message request, Predicate<Message> isRight) {}

    private final Map<String, Descriptor> messages = new HashMap<>();

    Services(Path descriptors) throws IOException, DescriptorValidationException {
        Map<String, FileDescriptor> files = new HashMap<>();
        // What a file imports comes before it.
        for (FileDescriptorProto file : FileDescriptorSet.parseFrom(Files.readAllBytes(descriptors)).getFileList()) {
            FileDescriptor[] imports = file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
            FileDescriptor built = FileDescriptor.buildFrom(file, imports);
            files.put(file.getName(), built);
            built.getMessageTypes().forEach(type -> messages.put(type.getFullName(), type));
        }
    }

    /** What is called in turn, by the names in the file ways. */
    List<Call> inTurn(String service) {
        return switch (service) {
            case "identity" -> List.of(
                    identity("GetPluginInfo", it ->
                            text(it, "name").equals("disk.example.org") && text(it, "vendor_version").equals("1.2.3")),
                    identity("GetPluginCapabilities", Services::isControllerAlone),
                    identity("Probe", it -> Boolean.TRUE.equals(ready(it))));
            case "registration" -> List.of(
                    registration("GetInfo", message("pluginregistration.InfoRequest").build(), "PluginInfo", it ->
                            text(it, "type").equals("CSIPlugin") && text(it, "name").equals("disk.example.org")),
                    registration("NotifyRegistrationStatus", registered(), "RegistrationStatusResponse", it -> true));
            default -> throw new IllegalArgumentException("unknown service " + service);
        };
    }

    /** One call of those in ../errors/cases. */
    Call single(String name) {
        Predicate<Message> any = it -> true;
        return switch (name) {
            case "probe" -> identity("Probe", any);
            case "controller" -> call("csi.v1.Controller/ControllerGetCapabilities",
                    message("csi.v1.ControllerGetCapabilitiesRequest").build(),
                    "csi.v1.ControllerGetCapabilitiesResponse", any);
            case "oversized" -> call("csi.v1.Identity/Probe", oversized(), "csi.v1.ProbeResponse", any);
            default -> throw new IllegalArgumentException("unknown call " + name);
        };
    }

    /** Whether a plugin says that it is ready; null if it does not say. */
    static Boolean ready(Message probed) {
        Descriptor type = probed.getDescriptorForType();
        if (!probed.hasField(type.findFieldByName("ready"))) {
            return null;
        }
        Message value = (Message) field(probed, "ready");
        return (Boolean) field(value, "value");
    }

    private static boolean isControllerAlone(Message answer) {
        List<?> capabilities = (List<?>) field(answer, "capabilities");
        return capabilities.size() == 1
                && field((Message) field((Message) capabilities.get(0), "service"), "type")
                        .toString().equals("CONTROLLER_SERVICE");
    }

    private Message registered() {
        DynamicMessage.Builder status = message("pluginregistration.RegistrationStatus");
        return status.setField(status.getDescriptorForType().findFieldByName("plugin_registered"), true).build();
    }

    // A field that no server knows, so that nothing but the size is wrong.
    private Message oversized() {
        Field field = Field.newBuilder().addLengthDelimited(ByteString.copyFrom(new byte[OVERSIZED_BYTES])).build();
        UnknownFieldSet fields = UnknownFieldSet.newBuilder().addField(15, field).build();
        return message("csi.v1.ProbeRequest").setUnknownFields(fields).build();
    }

    private Call identity(String name, Predicate<Message> isRight) {
        Message request = message("csi.v1." + name + "Request").build();
        return call("csi.v1.Identity/" + name, request, "csi.v1." + name + "Response", isRight);
    }

    private Call registration(String name, Message request, String response, Predicate<Message> isRight) {
        return call("pluginregistration.Registration/" + name, request, "pluginregistration." + response, isRight);
    }

    private Call call(String path, Message request, String response, Predicate<Message> isRight) {
        MethodDescriptor<Message, Message> method = MethodDescriptor.<Message, Message>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(path)
                .setRequestMarshaller(ProtoUtils.marshaller(request.getDefaultInstanceForType()))
                .setResponseMarshaller(ProtoUtils.marshaller(message(response).getDefaultInstanceForType()))
                .build();
        return new Call(method, request, isRight);
    }

    private DynamicMessage.Builder message(String name) {
        return DynamicMessage.newBuilder(messages.get(name));
    }

    private static String text(Message message, String name) {
        return (String) field(message, name);
    }

    private static Object field(Message message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }
}

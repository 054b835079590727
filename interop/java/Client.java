import com.google.gson.GsonBuilder;
import com.google.protobuf.Message;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.internal.GrpcUtil;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A client of grpc-java that dials a Unix socket in one of the ways in use, calls a service, and prints how that went as one
 * line of JSON. What it calls and prints is described in ../README.md.
 */
public final class Client {
    private Client() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 5 || !Dial.WAYS.containsKey(arguments[2])) {
            System.err.println("usage: Client <call | show> <descriptors> <" + String.join(" | ", Dial.WAYS.keySet())
                    + "> <service or call> <path of the socket>");
            System.exit(2);
        }
        String action = arguments[0], way = arguments[2], what = arguments[3], path = arguments[4];
        Function<String, ManagedChannel> dial = Dial.WAYS.get(way);
        Services services = new Services(Path.of(arguments[1]));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("client", "grpc-java");
        result.put("version", GrpcUtil.getGrpcBuildVersion().getImplementationVersion());
        result.put("way", way);
        if (action.equals("call")) {
            Load.Outcome outcome = new Load(() -> dial.apply(path), services.inTurn(what)).run();
            result.put("service", what);
            result.put("calls_ok", outcome.ok());
            result.put("first_error", outcome.error());
        } else {
            show(dial.apply(path), services.single(what), result);
        }
        System.out.println(new GsonBuilder().serializeNulls().disableHtmlEscaping().create().toJson(result));
        // The threads of netty would keep the process.
        System.exit(0);
    }

    private static void show(ManagedChannel channel, Services.Call call, Map<String, Object> result) {
        try {
            Message answer = Load.answer(channel, call, new Metadata());
            Boolean ready = Services.ready(answer);
            result.put("code", "OK");
            result.put("message", ready == null ? "ready unset" : "ready=" + ready);
        } catch (StatusRuntimeException error) {
            String description = error.getStatus().getDescription();
            result.put("code", error.getStatus().getCode().name());
            result.put("message", description == null ? "" : description);
        }
    }
}

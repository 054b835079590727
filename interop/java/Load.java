import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Calls on one connection, then on several at once: how many were answered right, and what the first failure was. */
final class Load {
    private static final int CALLS_ON_ONE_CONNECTION = 1000;
    private static final int CONNECTIONS_AT_ONCE = 5;
    private static final int CALLS_ON_EACH_CONNECTION = 20;
    private static final int MAX_FIELDS = 6;
    private static final int MAX_FIELD_BYTES = 400;
    private static final int CALL_TIMEOUT_SECONDS = 5;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/%:;,.";
    private static final long SEED = 0x1d3e;

    /** What is found; the error is null if there was none. */
    record Outcome(int ok, String error) {}

    private final Supplier<ManagedChannel> dial;
    private final List<Services.Call> calls;

    Load(Supplier<ManagedChannel> dial, List<Services.Call> calls) {
        this.dial = dial;
        this.calls = calls;
    }

    Outcome run() throws InterruptedException, ExecutionException {
        Outcome first = sequence(CALLS_ON_ONE_CONNECTION, 0);
        if (first.error() != null) {
            return first;
        }
        ExecutorService pool = Executors.newFixedThreadPool(CONNECTIONS_AT_ONCE);
        List<Future<Outcome>> parts = new ArrayList<>();
        for (int stream = 1; stream <= CONNECTIONS_AT_ONCE; stream++) {
            int own = stream;
            parts.add(pool.submit(() -> sequence(CALLS_ON_EACH_CONNECTION, own)));
        }
        pool.shutdown();
        int ok = first.ok();
        String error = null;
        for (Future<Outcome> part : parts) {
            ok += part.get().ok();
            error = error == null ? part.get().error() : error;
        }
        return new Outcome(ok, error);
    }

    private Outcome sequence(int count, int stream) {
        Random random = new Random(SEED + stream);
        ManagedChannel channel = dial.get();
        try {
            for (int turn = 0; turn < count; turn++) {
                Services.Call call = calls.get(turn % calls.size());
                String name = call.method().getBareMethodName();
                try {
                    Message answer = answer(channel, call, metadata(random));
                    if (!call.isRight().test(answer)) {
                        return new Outcome(turn, name + ": wrong answer " + answer);
                    }
                } catch (StatusRuntimeException error) {
                    return new Outcome(turn, name + ": " + error.getMessage());
                }
            }
            return new Outcome(count, null);
        } finally {
            channel.shutdownNow();
        }
    }

    /** Makes one call. */
    static Message answer(ManagedChannel channel, Services.Call call, Metadata fields) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return ClientCalls.blockingUnaryCall(
                ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(fields)),
                call.method(), options, call.request());
    }

    // Enough, and different enough, to make the peers' header tables overflow again and again.
    private static Metadata metadata(Random random) {
        Metadata fields = new Metadata();
        for (int left = random.nextInt(MAX_FIELDS + 1); left > 0; left--) {
            StringBuilder value = new StringBuilder();
            for (int letters = 1 + random.nextInt(MAX_FIELD_BYTES); letters > 0; letters--) {
                value.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
            }
            String name = "x-interop-" + random.nextInt(50);
            fields.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value.toString());
        }
        return fields;
    }
}

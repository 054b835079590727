import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import java.util.Map;
import java.util.function.Function;

/** Ways to dial a Unix socket, by the names in the file ways. */
final class Dial {
    // Deprecated since netty 4.2, and what drivers written for 4.1 have.
    @SuppressWarnings("deprecation")
    private static final EventLoopGroup LOOP = new EpollEventLoopGroup(1);

    static final Map<String, Function<String, ManagedChannel>> WAYS = Map.of(
            "DomainSocketAddress", path -> address(path).build(),
            "overrideAuthority", path -> address(path).overrideAuthority("localhost").build(),
            // Finds its event loop by itself.
            "unix:///", path -> Grpc.newChannelBuilder("unix://" + path, InsecureChannelCredentials.create()).build());

    private Dial() {}

    private static ManagedChannelBuilder<?> address(String path) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(path))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(LOOP)
                .usePlaintext();
    }
}

// A client of @grpc/grpc-js that dials a Unix socket in one of the ways in use, calls a service, and prints how that went
// as one line of JSON. What it calls and prints is described in ../README.md.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const CALLS_ON_ONE_CONNECTION = 1000;
const CONNECTIONS_AT_ONCE = 5;
const CALLS_ON_EACH_CONNECTION = 20;
const MAX_FIELDS = 6;
const MAX_FIELD_BYTES = 400;
const CALL_TIMEOUT_MS = 5000;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/%:;,.";
const SEED = 0x1d3e;

const PROTO = fileURLToPath(new URL("../../proto", import.meta.url));
const FILES = ["csi/v1/csi.proto", "pluginregistration/v1/api.proto"];
const loaded = grpc.loadPackageDefinition(loadSync(FILES, { includeDirs: [PROTO], enums: String, keepCase: true }));

// Ways to dial a Unix socket, by the names in the file ways: a target and the channel's options.
const WAYS = {
  "unix:///": (path) => [`unix://${path}`, {}],
  "unix:/": (path) => [`unix:${path}`, {}],
  // What a caller gets that names the socket for want of a host.
  "grpc.default_authority": (path) => [`unix://${path}`, { "grpc.default_authority": path }],
};

// What is called in turn, by the names in the file ways: the client, and each method with its request and what is right.
const SERVICES = {
  identity: [
    loaded.csi.v1.Identity,
    [
      ["GetPluginInfo", {}, answered((it) => it.name === "disk.example.org" && it.vendor_version === "1.2.3")],
      [
        "GetPluginCapabilities",
        {},
        answered((it) => it.capabilities.length === 1 && it.capabilities[0].service?.type === "CONTROLLER_SERVICE"),
      ],
      ["Probe", {}, answered((it) => it.ready?.value === true)],
    ],
  ],
  registration: [
    loaded.pluginregistration.Registration,
    [
      ["GetInfo", {}, answered((it) => it.type === "CSIPlugin" && it.name === "disk.example.org")],
      ["NotifyRegistrationStatus", { plugin_registered: true }, answered(() => true)],
    ],
  ],
};

function answered(isRight) {
  return (error, answer) => !error && isRight(answer);
}

// Calls on one connection, then on several at once: how many were answered right, and what the first failure was.
async function load(target, options, service) {
  const [ok, error] = await sequence(target, options, service, CALLS_ON_ONE_CONNECTION, 0);
  if (error) return [ok, error];
  const streams = Array.from({ length: CONNECTIONS_AT_ONCE }, (_, index) => index + 1);
  const parts = await Promise.all(
    streams.map((stream) => sequence(target, options, service, CALLS_ON_EACH_CONNECTION, stream)),
  );
  return [parts.reduce((sum, [count]) => sum + count, ok), parts.map((part) => part[1]).find((text) => text) ?? null];
}

async function sequence(target, options, [Client, methods], count, stream) {
  // Channels to one target share a connection unless they are told not to.
  const client = new Client(target, grpc.credentials.createInsecure(), { ...options, "grpc.use_local_subchannel_pool": 1 });
  const random = generator(SEED + stream);
  try {
    for (let turn = 0; turn < count; turn += 1) {
      const error = await call(client, methods[turn % methods.length], metadata(random));
      if (error) return [turn, error];
    }
    return [count, null];
  } finally {
    client.close();
  }
}

function call(client, [name, request, isRight], fields) {
  return new Promise((resolve) => {
    client[name](request, fields, { deadline: Date.now() + CALL_TIMEOUT_MS }, (error, answer) => {
      if (isRight(error, answer)) resolve(null);
      else resolve(error ? `${name}: ${error.message}` : `${name}: wrong answer ${JSON.stringify(answer)}`);
    });
  });
}

// Enough, and different enough, to make the peers' header tables overflow again and again.
function metadata(random) {
  const fields = new grpc.Metadata();
  for (let left = random(MAX_FIELDS + 1); left > 0; left -= 1) {
    const letters = Array.from({ length: 1 + random(MAX_FIELD_BYTES) }, () => LETTERS[random(LETTERS.length)]);
    fields.add(`x-interop-${random(50)}`, letters.join(""));
  }
  return fields;
}

// Numbers below a limit, the same in every run: the language's own generator takes no seed.
function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

// The calls in ../errors/cases: a method's path and the bytes of the request. The field in the last one is unknown to every
// server, so that nothing but the size is wrong.
const PROBE = "/csi.v1.Identity/Probe";
const SINGLE = {
  probe: [PROBE, Buffer.alloc(0)],
  controller: ["/csi.v1.Controller/ControllerGetCapabilities", Buffer.alloc(0)],
  oversized: [PROBE, Buffer.concat([Buffer.from([0x7a, 0x80, 0x80, 0xc0, 0x02]), Buffer.alloc(5 * 1024 * 1024)])],
};

// One call: what its caller sees, as code and message.
function show([target, options], [path, bytes]) {
  const client = new grpc.Client(target, grpc.credentials.createInsecure(), options);
  const parse = loaded.csi.v1.Identity.service.Probe.responseDeserialize;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, (it) => it, parse, bytes, { deadline: Date.now() + CALL_TIMEOUT_MS }, (error, answer) => {
      client.close();
      if (error) resolve({ code: grpc.status[error.code], message: error.details });
      else resolve({ code: "OK", message: answer.ready ? `ready=${answer.ready.value ?? false}` : "ready unset" });
    });
  });
}

const [action, way, what, path, ...rest] = process.argv.slice(2);
const known = { call: SERVICES, show: SINGLE }[action]?.[what];
if (!WAYS[way] || !known || !path || rest.length > 0) {
  console.error(`usage: client.js <call | show> <${Object.keys(WAYS).join(" | ")}> <service or call> <path of the socket>`);
  process.exit(2);
}
const version = createRequire(import.meta.url)("@grpc/grpc-js/package.json").version;
const result = { client: "grpc-js", version, way };
if (action === "call") {
  const [calls_ok, first_error] = await load(...WAYS[way](path), known);
  Object.assign(result, { service: what, calls_ok, first_error });
} else {
  Object.assign(result, await show(WAYS[way](path), known));
}
console.log(JSON.stringify(result));

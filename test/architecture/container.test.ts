/**
 * The files for containers. With only the files of the image, the program makes a release and writes only to the store and the
 * cache. Public tools accept the manifests, and no container has more rights than it needs.
 */

import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { validators } from "../describe/validators/judgement.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { touchesIn } from "../support/tree.ts";

const GUIDE = join(REPOSITORY, "docs/operate");

let image: string;
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  image = await mkdtemp(join(tmpdir(), "share-image-"));
  const [, , files = ""] = (await readFile(join(REPOSITORY, "docs/operate/Containerfile"), "utf8")).split(/^FROM /m);
  const copied = [...files.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
  expect(copied.length).toBeGreaterThan(8);
  for (const name of copied) await cp(join(REPOSITORY, name), join(image, name), { recursive: true });
  before = await touchesIn(image);
  await symlink(join(REPOSITORY, "node_modules"), join(image, "node_modules"));
});

afterAll(() => rm(image, { recursive: true, force: true }));

function command(words: string, settings: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: process.env.PATH,
    SHARE_STORE: join(image, "store"),
    XDG_CACHE_HOME: join(image, "cache"),
    ...settings,
  };
  return spawnSync("node", ["bin/share-release.js", ...words.split(" ")], { cwd: image, env, encoding: "utf8" });
}

test.each([
  "--help",
  "fixtures --records 3 --seed 1",
  "build --as-of 2026-11-01",
  "release verify --rebuild",
  "doctor",
])(
  "the files of the image are enough to run share-release %s",
  (words) => {
    const { status, stderr } = command(words);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  },
  120_000,
);

test("commands in the container write only to the store and the cache, so that the root can be read-only", async () => {
  const own = [...(await touchesIn(image))].filter(([path]) => !/^(?:store|cache|node_modules)(?:\/|$)/.test(path));
  expect(before.size).toBeGreaterThan(300);
  expect(new Map(own)).toEqual(before);
});

test(".dockerignore lets through exactly the files that the images copy", async () => {
  const ignored = (await readFile(join(REPOSITORY, ".dockerignore"), "utf8")).trimEnd().split("\n");
  expect(ignored[0]).toBe("*");
  const images = ["Containerfile", "Containerfile.spark"].map((name) => readFile(join(GUIDE, name), "utf8"));
  const copied = (await Promise.all(images)).flatMap((text) =>
    [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" ")),
  );
  expect([...new Set(copied)].sort()).toEqual(
    ignored
      .slice(1)
      .map((line) => line.slice(1))
      .sort(),
  );
});

describe.skipIf(validators === null)("the manifests for Compose and Kubernetes", () => {
  const tool = (name: string, ...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(join(REPOSITORY, ".validators/bin", name), words, {
      cwd: GUIDE,
      encoding: "utf8",
    });
    return { status, output: `${stdout}${stderr}` };
  };

  test("hadolint has no findings on the Containerfiles", () => {
    expect(tool("hadolint", "Containerfile", "Containerfile.spark")).toEqual({ status: 0, output: "" });
  });

  test("the schema of Compose accepts compose.yaml, and rejects a file with an unknown key", async () => {
    const schema = ["--builtin-schema", "vendor.compose-spec"];
    expect(tool("check-jsonschema", ...schema, "compose.yaml")).toMatchObject({ status: 0 });
    const wrong = join(image, "wrong.yaml");
    await writeFile(wrong, "services: { server: { image: x, readonly: true } }\n");
    expect(tool("check-jsonschema", ...schema, wrong)).toMatchObject({ status: 1 });
    await rm(wrong);
  });

  test("the schemas of Kubernetes accept kubernetes.yaml and share-release-spark.yaml", () => {
    const { status, output } = tool("kubernetes-validate", "--strict", "kubernetes.yaml", "share-release-spark.yaml");
    expect(output.match(/ passed for resource /g)?.length).toBe(14);
    expect(status).toBe(0);
  });

  /** Reads a YAML file of docs/operate, and returns the documents in it. */
  function documents(name: string) {
    const program = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";
    const { stdout } = spawnSync(validators ?? "", ["-c", program, join(GUIDE, name)], { encoding: "utf8" });
    return JSON.parse(stdout);
  }

  test("containers of Compose have a read-only root, no capabilities and no root user", () => {
    const [{ services }] = documents("compose.yaml");
    expect(Object.keys(services)).toEqual(["server", "nightly", "database", "redis", "nginx"]);
    for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
      expect([name, service]).toMatchObject([
        name,
        { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] },
      ]);
      const isUnprivileged = /^(?:share-release$|docker\.io\/nginxinc\/nginx-unprivileged:)/.test(
        String(service.image),
      );
      expect([name, isUnprivileged || /^[1-9]\d*:/.test(String(service.user))]).toEqual([name, true]);
    }
  });

  test("containers of Kubernetes have a read-only root, no capabilities and no root user", () => {
    const pods = documents("kubernetes.yaml").flatMap(({ kind, spec }: { kind: string; spec: Workload }) =>
      listPods(kind, spec),
    );
    expect(pods).toHaveLength(2);
    for (const pod of pods) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(container).toMatchObject({
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
          resources: { limits: { memory: expect.any(String) } },
        });
      }
    }
  });

  test("only the nightly runs can read private keys, and servers cannot", () => {
    const [{ services }] = documents("compose.yaml");
    const covers = ({ tmpfs }: { tmpfs: string[] }) => tmpfs.some((each) => each.startsWith("/store/keys/private"));
    expect([covers(services.server), covers(services.nightly)]).toEqual([true, false]);
    const [server, nightly] = documents("kubernetes.yaml").flatMap(({ kind, spec }: { kind: string; spec: Workload }) =>
      listPods(kind, spec),
    );
    const cover = expect.objectContaining({ name: "no-keys", mountPath: "/store/keys/private", readOnly: true });
    expect(server.containers[0].volumeMounts).toContainEqual(cover);
    expect(server.volumes).toContainEqual(expect.objectContaining({ name: "no-keys", emptyDir: expect.anything() }));
    for (const { volumeMounts } of [...nightly.initContainers, ...nightly.containers])
      expect(volumeMounts).not.toContainEqual(cover);
  });

  test("a network policy covers all pods, and only a narrow range of addresses is trusted as proxies", () => {
    const all = documents("kubernetes.yaml");
    const { spec } = all.find(({ kind }: { kind: string }) => kind === "NetworkPolicy");
    const labels = all.flatMap(({ kind, spec: workload }: { kind: string; spec: Workload }) => {
      if (kind === "Deployment") return [workload.template.metadata.labels.app];
      return kind === "CronJob" ? [workload.jobTemplate.spec.template.metadata.labels.app] : [];
    });
    expect(spec.podSelector.matchExpressions[0].values).toEqual(labels);
    expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    const { data } = all.find(({ kind }: { kind: string }) => kind === "ConfigMap");
    expect(Number(data.SHARE_TRUST_PROXY.split("/")[1])).toBeGreaterThanOrEqual(24);
  });

  test("the program accepts all settings of the manifests", async () => {
    const [{ services }] = documents("compose.yaml");
    const { DATABASE_URL_FILE: database, ...compose } = services.server.environment;
    expect(database).toBe("/run/secrets/database-url");
    const kubernetes = documents("kubernetes.yaml").find(({ kind }: { kind: string }) => kind === "ConfigMap").data;
    for (const settings of [compose, kubernetes]) {
      const file = join(image, "store/settings.json");
      await writeFile(file, JSON.stringify(settings));
      const { status, stderr } = command("release list", { SHARE_CONFIG: file });
      expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    }
  });

  test("nginx.conf contains the address that compose.yaml replaces", async () => {
    const [{ services, networks }] = documents("compose.yaml");
    const [, from = "none", to = ""] = /sed s\/([\d.:]+)\/([\d.:]+)\/ /.exec(services.nginx.command[2]) ?? [];
    expect(await readFile(join(GUIDE, "nginx.conf"), "utf8")).toContain(`server ${from} `);
    expect(to).toBe(`${services.server.networks.front.ipv4_address}:8080`);
    expect(services.server.environment.SHARE_TRUST_PROXY).toBe(services.nginx.networks.front.ipv4_address);
    expect(networks.back).toEqual({ internal: true });
  });
});

interface Pod {
  readonly initContainers?: readonly object[];
  readonly containers: readonly object[];
}

interface Template {
  readonly metadata: { readonly labels: { readonly app: string } };
  readonly spec: Pod;
}

interface Workload {
  readonly template: Template;
  readonly jobTemplate: { readonly spec: { readonly template: Template } };
}

function listPods(kind: string, spec: Workload): Pod[] {
  if (kind === "Deployment") return [spec.template.spec];
  return kind === "CronJob" ? [spec.jobTemplate.spec.template.spec] : [];
}

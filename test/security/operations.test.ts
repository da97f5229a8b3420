/** The files that operators install (systemd units, the Spark job, images) run the program with few rights. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const read = (name: string) => readFile(join(REPOSITORY, "docs/operate", name), "utf8");

/** Settings without which a hijacked program could reach more than its own files. */
const UNIT = [
  "AmbientCapabilities=",
  "CapabilityBoundingSet=",
  "LockPersonality=true",
  "NoNewPrivileges=true",
  "PrivateDevices=true",
  "PrivateTmp=true",
  "ProtectClock=true",
  "ProtectControlGroups=true",
  "ProtectHome=true",
  "ProtectHostname=true",
  "ProtectKernelLogs=true",
  "ProtectKernelModules=true",
  "ProtectKernelTunables=true",
  "ProtectProc=invisible",
  "ProtectSystem=strict",
  "ReadWritePaths=/srv/share",
  "RemoveIPC=true",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
  "RestrictNamespaces=true",
  "RestrictRealtime=true",
  "RestrictSUIDSGID=true",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "TasksMax=512",
  "User=share",
];

test.each(["share-release.service", "share-release-build.service"])(
  "the systemd unit %s has every restriction",
  async (name) => {
    const lines = (await read(name)).split("\n");
    expect(UNIT.filter((line) => !lines.includes(line))).toEqual([]);
    expect(lines.some((line) => /^MemoryMax=\d\d%$/.test(line))).toBe(true);
  },
);

test("the Spark job authenticates its processes, runs them without privileges, and limits their network access", async () => {
  const documents = (await read("share-release-spark.yaml")).split(/^---$/m);
  const kind = (name: string) => documents.filter((each) => each.includes(`\nkind: ${name}\n`));
  const [job = ""] = kind("Job");
  const [template = ""] = kind("ConfigMap");
  for (const setting of [
    "spark.authenticate=true",
    "spark.network.crypto.enabled=true",
    "spark.kubernetes.executor.podTemplateFile=/etc/share-release/executor.yaml",
    "spark.kubernetes.executor.label.part-of=share-release-build",
  ])
    expect(job).toContain(`- ${setting}\n`);
  for (const pod of [job, template]) {
    for (const right of [
      "runAsNonRoot: true",
      "allowPrivilegeEscalation: false",
      "drop: [ALL]",
      "type: RuntimeDefault",
    ])
      expect(pod).toContain(`${right}\n`);
  }
  const [both = "", driver = ""] = kind("NetworkPolicy");
  expect(both).toMatch(/policyTypes: \[Ingress, Egress\]\n {2}ingress:\n {4}- from:\n {8}- podSelector:/);
  expect(driver).toContain("app: share-release-build\n");
  expect(job).toContain("        part-of: share-release-build\n");
});

test.each(["Containerfile", "Containerfile.spark"])("the image %s runs as a user without privileges", async (name) => {
  const users = [...(await read(name)).matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
  expect(["1000:1000", "185:185"]).toContain(users.at(-1));
});

/** The package `share-release-client`: a client of the SHARE scoring service, for programs and pages. */

export { type ClientOptions, type ListName, type ShareClient, type StreamName, shareClient } from "./client.ts";
export type { components, operations, paths } from "./described.ts";
export { ReleaseChanged } from "./each-row.ts";
export type { AnswerOf, GivenTo, OperationName } from "./operation-types.ts";
export { Problem } from "./sending.ts";

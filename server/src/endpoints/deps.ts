import type { PipelineDeps } from "../http/pipeline.js";

/** The dependencies of the endpoints. */
export type EndpointDeps = Pick<PipelineDeps, "store" | "random" | "baseUrl" | "docsUrl">;

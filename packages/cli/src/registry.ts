// The one place that says which packages of this project the command line is built on.
export { createClient, type RegistryClient, type Schemas } from '../../client/index.ts'
export {
  type AgentVerdict,
  ALGORITHM_VERSION,
  hashInputs,
  openCheckpoint,
  type Policy,
  parsePolicy,
  scoreAgent,
  type VerifyAgentOptions,
  verifyAgent,
} from '../../verify/index.ts'

// The only file that imports the other packages of this project.
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

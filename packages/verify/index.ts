/**
 * Verifies what the agent registry says, without trusting it: scores, its transparency log, and its verification tokens.
 * Needs Web Crypto and `fetch`, and nothing else: Workers, Node from 20, Deno, and browsers that know Ed25519.
 */
export { STANDINGS, type Standing } from '../../src/db/enums.ts'
export {
  type Checkpoint,
  type CheckpointRejection,
  type OpenedCheckpoint,
  openCheckpoint,
  type TrustedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
export { parseVerifierKey, type VerifierKey } from '../../src/transparency/keys.ts'
export {
  type Leaf,
  type LeafSummary,
  leafBytes,
  type ReadLeaf,
  readLeaves,
} from '../../src/transparency/leaf.ts'
export {
  type Consistency,
  type Hash,
  type Sha256,
  verifyConsistency,
} from '../../src/transparency/merkle.ts'
export { type Policy, parsePolicy, type Witness } from '../../src/transparency/policy.ts'
export { formatProof, type TlogProof } from '../../src/transparency/proof-text.ts'
export {
  consistencyPath,
  inclusionPath,
  type ReadTiles,
  rootFromTiles,
  type Tile,
} from '../../src/transparency/tiles.ts'
export { hashInputs } from '../../src/trust/inputs.ts'
export type { Rollup } from '../../src/trust/rollup.ts'
export { ALGORITHM_VERSION, scoreAgent, type TrustScore } from '../../src/trust/score.ts'
export {
  type AgentVerdict,
  type ScoreVerdict,
  type VerifyAgentOptions,
  verifyAgent,
  verifyLog,
  verifyScore,
} from './agent.ts'
export type { AgentKey } from './agent-keys.ts'
export { type AgentSource, type Holder, registeredAgents } from './agents.ts'
export { attestationsCheck } from './attestations.ts'
export type { Check, CheckResult, Context, Verdict, VerifyOptions } from './checks.ts'
export type { AgentEntry } from './entries.ts'
export { eventsCheck } from './events.ts'
export { type Head, type LogInfo, NO_WITNESSES } from './head.ts'
export { headsCheck } from './heads.ts'
export { type JwkSet, type KeySource, remoteKeys } from './keys.ts'
export { type LogMemory, type LogState, logMemory, parseLogState, type Trust } from './memory.ts'
export type { NodeRequest, ReceivedRequest } from './message.ts'
export {
  type MonitorOptions,
  type MonitorState,
  type MonitorVerdict,
  monitorLog,
  parseMonitorState,
} from './monitor.ts'
export {
  type OpenedLeaf,
  type Opening,
  type OpeningRejection,
  openLeaf,
} from './opening.ts'
export { historyCheck } from './past-scores.ts'
export { type ProofRejection, type VerifiedProof, verifyProof } from './proof.ts'
export { type VerifyReceiptOptions, verifyReceipt } from './receipt.ts'
export {
  type RequestRejection,
  type VerifiedRequest,
  type VerifyRequestOptions,
  verifyRequest,
} from './request.ts'
export type { Inputs } from './score.ts'
export {
  type SignedFetchOptions,
  type SigningKey,
  type SignRequestOptions,
  signedFetch,
  signRequest,
} from './sign.ts'
export { type TileReader, tileReader } from './tiles.ts'
export { type TokenRejection, type Verification, type VerifiedToken, verifyToken } from './token.ts'
export { wholeLogCheck } from './whole-log.ts'

import { agent_stats, agents } from './schema.ts'

/** The columns of an agent in every response that shows it. */
export const AGENT_COLUMNS = {
  reg: agents.reg,
  name: agents.name,
  description: agents.description,
  class: agents.class,
  status: agents.status,
  ownership_status: agents.ownership_status,
  domain: agents.domain,
  homepage_url: agents.homepage_url,
  card_url: agents.card_url,
  specializations: agents.specializations,
  texts_withheld_at: agents.texts_withheld_at,
  registered_at: agents.registered_at,
}

/** The counters of an agent in every response that shows it. */
export const AGENT_COUNTERS = {
  tasks_completed: agent_stats.tasks_completed,
  tasks_failed: agent_stats.tasks_failed,
  incident_count: agent_stats.incident_count,
}

/** Binds an encrypted webhook secret to its use, so that no other sealed text can stand in for it. */
export const WEBHOOK_SECRET_PURPOSE = 'webhook-secret'

-- A released identity stays until a check names another.
-- Locks: ACCESS EXCLUSIVE on operators for a moment (the default is a constant, so that no row is written).
ALTER TABLE "operators" ADD COLUMN "kyc_identity_released" boolean DEFAULT false NOT NULL;
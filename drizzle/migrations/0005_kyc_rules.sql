GRANT SELECT, INSERT, UPDATE ON kyc_checks TO registry_worker;

-- Crimes, courts and prison: a field of its own, so that what the person says of them waits for a yes.
INSERT INTO profile_fields (name, sensitivity) VALUES ('law', 'sensitive');

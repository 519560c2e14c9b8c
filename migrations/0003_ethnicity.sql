-- A field of the profile that version 2 did not have.
INSERT INTO profile_fields (name, sensitivity) VALUES ('ethnicity', 'sensitive');

// PhoneRunner: the trusted side.

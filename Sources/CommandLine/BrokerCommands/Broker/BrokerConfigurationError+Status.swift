import Broker
import Terminal

extension BrokerConfigurationError: ConfigurationError {}
